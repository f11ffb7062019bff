"""The tools of the simulated device, one module a service.

All 34 tools of the published set are defined here, and no other: their order and their scrambled
names follow from this package's contents, so a further tool belongs in another package.

Some defects of the published tools show in what an agent sees and are therefore corrected only in
worlds with the profile ``strict``:

=====================================  ==========================================  =================================
Where                                  ``published``                               ``strict``
=====================================  ==========================================  =================================
fuzzy search                           weighted ratio alone                        and a word in common
phone numbers                          stored and compared as given                E.164; no letters, extensions or
                                                                                   impossible lengths
names, contents, relationships         any text                                    not blank, no control characters,
                                                                                   bounded length
reminder with one coordinate           accepted                                    ``ValueError``
modified row                           moves to the end                            keeps its position
clearing a relationship                ``TypeError``                               ``None`` clears it
sending without an entry for oneself   ``DuplicateError``                          ``NoDataError``
search_holiday                         federal holidays; a tie goes to the         and popular names and observances;
                                       latest date; odd years give ``None``        the exact name wins, then the
                                                                                   actual day; years 1800 to 2100
unit_conversion                        units as the unit library reads them;       ``C``, ``degrees Celsius`` and so on
                                       unknown: both lower-cased                   are temperatures; only the unknown
                                                                                   one is lower-cased
weather beyond the forecast            nothing found                               ``ValueError``
=====================================  ==========================================  =================================

Corrected in both, because no score depends on it: a failing tool changes nothing; searches return
every match; numbers must be finite and not booleans; text must be valid Unicode; durations are
elapsed time; expressions of units are bounded; all currencies of ISO 4217 are known.
"""

from tool_sandbox.tools import (
    contact,
    messaging,
    rapid_api_search_tools,
    reminder,
    setting,
    user_tools,
    utilities,
)

__all__ = [
    "contact",
    "messaging",
    "rapid_api_search_tools",
    "reminder",
    "setting",
    "user_tools",
    "utilities",
]
