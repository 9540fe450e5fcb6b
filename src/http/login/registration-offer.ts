import { Injectable } from '@nestjs/common';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import type { LoginPolicy } from '../../domain/policies/login-policy.js';
import { RegistrationPolicy, type RegistrationTerms } from '../../domain/registration/registration-policy.js';
import {
  RegistrationsStore,
  type RegistrationOrganization,
} from '../../domain/registration/registrations.store.js';
import type { OrgId } from '../../domain/shared/ids.js';

export interface Offer extends RegistrationOrganization, RegistrationTerms {
  readonly orgId: OrgId;
}

/**
 * Where somebody would get an account, if they may make one: in the organization that the request names, else with the
 * application, else in the default organization.
 */
@Injectable()
export class RegistrationOffer {
  constructor(
    private readonly policy: RegistrationPolicy,
    private readonly registrations: RegistrationsStore,
    private readonly instance: InstanceStore,
  ) {}

  /** The same where the policy of the organization was read already. */
  async under(orgId: OrgId, policy: LoginPolicy | RegistrationTerms | undefined): Promise<Offer | undefined> {
    if (policy === undefined || ('allowRegister' in policy && !policy.allowRegister)) return undefined;
    const organization = await this.registrations.findOrganization(orgId);
    return organization && { orgId, requireLoginName: policy.requireLoginName, ...organization };
  }

  /** Undefined when registration is off, or the request names an organization that there is not. */
  async find(flow: Pick<Flow, 'application' | 'required'> | undefined): Promise<Offer | undefined> {
    const orgId =
      flow?.required === undefined
        ? (flow?.application?.orgId ?? (await this.instance.read()).defaultOrgId)
        : flow.required.id;
    if (orgId === undefined) return undefined;
    return await this.under(orgId, await this.policy.find(orgId));
  }
}
