"""The shop: a site of our own. Its administration is the site `backoffice`, over the same database."""
