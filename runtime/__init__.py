"""What every script shares: settings with ranges, device, interrupt."""
