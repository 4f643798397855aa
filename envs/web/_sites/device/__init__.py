"""A phone and a desktop computer as sites: seven apps over one database, and the shells that show them."""
