"""The screens, one folder for each area of the console."""
