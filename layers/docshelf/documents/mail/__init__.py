"""Mail: messages, mailboxes and Outlook's files."""
