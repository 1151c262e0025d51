"""One function per request that is answered by the query pool; a module for each group of requests."""
