"""The recipe of the embedded verifier: pairs, cross-encoder, head, export and figures, one command each."""
