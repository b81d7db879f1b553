// An exception that nobody catches: node exits 1.
throw new Error("no answer");
