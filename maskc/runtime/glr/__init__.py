"""The machine of a general grammar: generalised LR over a graph-structured stack."""
