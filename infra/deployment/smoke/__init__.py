"""`scripts/smoke`: does a deployed environment do what it is for?"""
