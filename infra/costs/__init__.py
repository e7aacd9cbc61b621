"""What an environment costs a month: prices and assumptions in files of their own, and arithmetic."""
