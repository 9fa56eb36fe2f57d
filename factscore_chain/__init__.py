"""factscore-chain: know whether what a language model wrote is true."""
