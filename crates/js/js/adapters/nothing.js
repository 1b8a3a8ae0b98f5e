// Stands for a module that is not built in: every name of it is a stub.

export {};
