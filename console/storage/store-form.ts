/** In which form everything is kept. Either number is raised when an older console could no longer read the store. */

/** Of users, clients, sessions and tokens. 2: records have a sum; those of 1 are read. 3: users and clients are here. */
export const storeFormat = 3;
/** Of `registry.json`. 2: users and clients are no longer in it. */
export const registryFormat = 2;
/** What keeps the first of them. */
export const storeEngine = 'LMDB';
