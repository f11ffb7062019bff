"""What happens on the accounts by itself, for scenarios in a world that moves."""

from tool_sandbox.apps import add, as_money, effect, get, now, rows_of
from tool_sandbox.apps.wallet.ledger import transaction_cells
from tool_sandbox.apps.wallet.tables import ACCOUNTS, TRANSACTIONS


@effect
def payment_arrives(
    amount: int, sender: str, description: str, *, account_id: str = "", refund_of: str | None = None
) -> str:
    """Money comes in, in minor units, and is there at once.

    Args:
        amount: How much, in the currency of the account.
        sender: From whom.
        description: What for.
        account_id: On which account; the first one if left out.
        refund_of: Key of the payment that it gives back.
    """
    account = get(ACCOUNTS, account_id or rows_of(ACCOUNTS).column("account_id")[0])
    cells = transaction_cells(account["account_id"], amount, sender, description, now())
    kind = {"kind": "refund", "refund_of": refund_of} if refund_of else {"kind": "income", "category": "income"}
    add(TRANSACTIONS, **cells | kind)
    return f"{as_money(amount, account['currency'])} from {sender} came in on {account['name']}"
