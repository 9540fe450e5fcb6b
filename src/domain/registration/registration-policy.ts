import { Injectable } from '@nestjs/common';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Whether people may make accounts of their own in an organization. */
export abstract class RegistrationPolicy {
  /** @param tx of the transaction that makes the user, so that a switch that was just turned off holds */
  abstract allows(orgId: OrgId, tx?: Tx): Promise<boolean>;
}

/** Registration is open until an organization closes it (contract §11.2). */
@Injectable()
export class OpenRegistration extends RegistrationPolicy {
  override allows(): Promise<boolean> {
    return Promise.resolve(true);
  }
}
