"""The background process: follows the vault and answers on a socket."""
