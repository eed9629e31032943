"""The mask of a configuration: walks of the tries, remembered by what they depend on."""
