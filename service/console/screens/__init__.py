"""The screens, a folder for each place that people go to."""
