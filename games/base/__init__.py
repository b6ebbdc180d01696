"""What every program needs, games or not: settings, help, files, numbers with their errors."""
