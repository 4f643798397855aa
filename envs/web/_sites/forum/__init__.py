"""The forum: boards, posts, replies, votes, accounts, search, messages and moderation."""
