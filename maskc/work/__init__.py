"""Who does a part of the work: processes of this machine, or any executor that is named."""
