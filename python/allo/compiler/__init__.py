"""Names of the published package's compiler that programs catch."""
