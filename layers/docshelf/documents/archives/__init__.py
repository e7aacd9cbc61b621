"""ZIP and TAR, and the files that archives, mails and PDFs hold."""
