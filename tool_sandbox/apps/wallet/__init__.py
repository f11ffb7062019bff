"""The wallet: accounts, payees, transfers, standing orders, and transactions with their refunds and shares."""

from tool_sandbox.apps import App
from tool_sandbox.apps.wallet.accounts import (
    add_payee,
    modify_bank_account,
    remove_payee,
    search_bank_accounts,
    search_payees,
)
from tool_sandbox.apps.wallet.codes import confirm_payment_with_code, read_payment_codes, send_payment_code_again
from tool_sandbox.apps.wallet.content import content
from tool_sandbox.apps.wallet.probes import PROBES
from tool_sandbox.apps.wallet.shares import (
    add_transaction_share,
    mark_share_paid_back,
    remove_transaction_share,
    search_transaction_shares,
    split_transaction_evenly,
)
from tool_sandbox.apps.wallet.standing_orders import (
    cancel_standing_order,
    change_standing_order_run,
    create_standing_order,
    get_standing_order,
    modify_standing_order,
    search_standing_orders,
)
from tool_sandbox.apps.wallet.tables import (
    ACCOUNTS,
    CODES,
    PAYEES,
    RUNS,
    SHARES,
    STANDING_ORDERS,
    TRANSACTIONS,
    TRANSFERS,
)
from tool_sandbox.apps.wallet.transactions import (
    get_bank_transaction,
    modify_bank_transaction,
    request_transaction_refund,
    search_bank_transactions,
)
from tool_sandbox.apps.wallet.transfers import cancel_money_transfer, create_money_transfer, search_money_transfers

APP = App(
    name="wallet",
    title="Wallet",
    tables=[ACCOUNTS, PAYEES, TRANSFERS, STANDING_ORDERS, RUNS, TRANSACTIONS, SHARES, CODES],
    tools=[
        search_bank_accounts,
        modify_bank_account,
        add_payee,
        search_payees,
        remove_payee,
        create_money_transfer,
        cancel_money_transfer,
        search_money_transfers,
        confirm_payment_with_code,
        send_payment_code_again,
        read_payment_codes,
        create_standing_order,
        get_standing_order,
        search_standing_orders,
        modify_standing_order,
        change_standing_order_run,
        cancel_standing_order,
        search_bank_transactions,
        get_bank_transaction,
        modify_bank_transaction,
        request_transaction_refund,
        add_transaction_share,
        split_transaction_evenly,
        search_transaction_shares,
        mark_share_paid_back,
        remove_transaction_share,
    ],
    content=content,
    words={
        ACCOUNTS.name: ("account", "accounts"),
        PAYEES.name: ("payee", "payees"),
        TRANSFERS.name: ("transfer", "transfers"),
        STANDING_ORDERS.name: ("standing order", "standing orders"),
        RUNS.name: ("exception of a standing order", "exceptions of standing orders"),
        TRANSACTIONS.name: ("transaction", "transactions"),
        SHARES.name: ("share", "shares"),
        CODES.name: ("confirmation", "confirmations"),
    },
    probes=PROBES,
)
