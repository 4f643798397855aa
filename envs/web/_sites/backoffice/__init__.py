"""The administration of the shop: a site of our own over the database of the site `shop`."""
