"""An agent of one's own: it turns wifi off, whatever it is asked."""


class MyAgent:
    def respond(self, messages, tools):
        result = tools.call("set_wifi_status", {"on": False})
        return f"That did not work: {result.text}" if result.is_error else "Wifi is turned off."
