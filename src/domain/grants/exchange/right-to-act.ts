import { Injectable } from '@nestjs/common';
import { AuthorizationsStore } from '../../authorizations/authorizations.store.js';
import type { TokenLineage } from '../../authorizations/token-lineage.js';
import { EffectiveRoles } from '../../permissions/effective-roles.js';
import { rolesToImpersonate } from '../../permissions/impersonation.js';
import { defaultSecuritySettings, PoliciesStore } from '../../policies/policies.store.js';
import { OAuthForbiddenError } from '../../shared/errors.js';
import type { ExchangedToken } from './exchanged-token.js';

/** Whoever acts for somebody needs the instance's leave and a role in the subject's organization. */
@Injectable()
export class RightToAct {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly authorizations: AuthorizationsStore,
    private readonly roles: EffectiveRoles,
  ) {}

  /** @throws OAuthForbiddenError where nobody acts for anybody */
  async requireServed(): Promise<void> {
    const { enableImpersonation } =
      (await this.policies.findSettings('security'))?.policy ?? defaultSecuritySettings;
    if (!enableImpersonation) {
      throw new OAuthForbiddenError(
        'invalid_request',
        'Errors.TokenExchange.Impersonation.PolicyDisabled',
        'impersonation is switched off',
      );
    }
  }

  /** Undefined where there is none. */
  async of(actor: ExchangedToken, subject: ExchangedToken): Promise<Partial<TokenLineage> | undefined> {
    const [acting, held, target] = await Promise.all([
      this.authorizations.findActiveUser(actor.userId),
      // whoever signs in to an application lends it no role that it was not given access to (security S181)
      this.roles.toActWith({ actorId: actor.userId, through: actor.through }),
      this.authorizations.findActiveUser(subject.userId),
    ]);
    const roles = acting && target && rolesToImpersonate(held, target);
    if (roles === undefined) return undefined;
    return {
      users: [{ userId: actor.userId, epoch: actor.epoch }],
      roles: roles.map((role) => ({ userId: actor.userId, ...role })),
      subjects: [{ userId: subject.userId, roles: target?.roles ?? [] }],
    };
  }
}
