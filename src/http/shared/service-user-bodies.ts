import { bodyReader } from './api-fields.js';
import { newKeyBody } from './key.schemas.js';

/** For those who read keys themselves still. */
export const readNewKey = bodyReader(newKeyBody.shape);
