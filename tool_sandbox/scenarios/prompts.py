"""The standing texts of a scenario: what agent and simulated user are told before it starts."""

from tool_sandbox.common.script import UserScript

AGENT_INSTRUCTION = (
    "You are the assistant on your user's phone. Use the tools to do what the user asks. "
    "Never make up a value for an argument: find it with a tool or ask. "
    "When a request can be read in more than one way, ask before you act."
)

USER_INSTRUCTION = (
    "Play a person who talks to the assistant on their phone. You are the human, never the assistant.\n"
    "- Write short, casual messages, as one types them on a phone.\n"
    "- Say only what your task below says. Invent nothing; if you are asked for something it does not tell, say that "
    "you do not know.\n"
    "- Answer questions truthfully, but do not ask any yourself beyond your task.\n"
    "- If you are told that it cannot be done, repeat what you know, or ask the assistant to use its tools.\n"
    "- Agree when the assistant wants to switch low battery mode off, or cellular, wifi or location on.\n"
    "- When the assistant says that it is done, even if you cannot check it, or after five failed tries, end the "
    "conversation by calling end_conversation.\n"
    "Your task: "
)


def user_brief(script: UserScript) -> str:
    """What a model that plays the user is told; made from the script alone, so it never holds an answer.

    Args:
        script: What the scripted user says.

    Returns:
        The instruction, the requests and the facts.
    """
    lines = [f'You have just said: "{script.opening}" You want exactly that.']
    lines += [f'Once that is answered, you say: "{turn}"' for turn in script.turns]
    # A change of mind is a request and a reply at once; it is said once.
    lines += [
        f'If you are asked for it, you say: "{fact.reply}"' for fact in script.knows if fact.reply not in script.turns
    ]
    if not script.consents:
        lines.append("When you are asked for permission, you decline.")
    return USER_INSTRUCTION + "\n".join(lines)
