import { PasswordHashing } from '../../../../src/domain/passwords/hashing/password-hashing.js';
import { TEST_BILL } from '../../../support/hashing.js';

const hashing = new PasswordHashing({
  memoryKib: 64,
  iterations: 2,
  parallelism: 1,
  slots: 2,
  queueLimit: 100,
  schemesOff: [],
});

/** Whether a user with this imported hash may sign in with the password. */
export async function verifies(encoded: string, password: string): Promise<boolean> {
  return (await hashing.verify(encoded, password, TEST_BILL)).matches;
}
