import { HashingBill } from '../../src/domain/passwords/hashing/hashing-bill.js';
import type { OrgId } from '../../src/domain/shared/ids.js';

/** Of hashes that a test makes or checks by itself, in nobody's name in particular. */
export const TEST_BILL = HashingBill.page('org-of-a-test' as OrgId, '192.0.2.1');
