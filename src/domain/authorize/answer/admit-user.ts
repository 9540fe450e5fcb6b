import { Injectable } from '@nestjs/common';
import type { Application } from '../../applications/application.js';
import type { OrganizationBranding } from '../../organizations/organization-branding.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import type { Session } from '../../sessions/session.js';
import { OAuthError } from '../../shared/errors.js';
import type { OrgId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ProjectChecks } from '../../tokens/project-checks.js';
import { readReservedScopes } from '../../tokens/scopes/reserved-scopes.js';

/** The one organization whose users may answer a request; without an id there is no such organization. */
export interface RequiredOrganization {
  readonly id: OrgId | undefined;
  /** Of the pages on which they sign in. */
  readonly branding?: OrganizationBranding;
}

/** Whether users of this organization may answer. */
export function isOfRequired(required: RequiredOrganization | undefined, orgId: OrgId): boolean {
  return required === undefined || required.id === orgId;
}

/** Who may sign in to what: the request's organization scope (protocol §6.2) and the project's own checks. */
@Injectable()
export class AdmitUser {
  constructor(
    private readonly orgs: OrganizationsStore,
    private readonly projectChecks: ProjectChecks,
  ) {}

  /** Undefined where users of any organization may answer. */
  async requiredOrganization(scopes: readonly string[]): Promise<RequiredOrganization | undefined> {
    const [asked] = readReservedScopes(scopes).organizations;
    if (asked === undefined) return undefined;
    return (await this.orgs.findAsked(asked)) ?? { id: undefined };
  }

  /** Why this user may not have an answer, or undefined when they may. @param tx of the sign-in, if it has one */
  async refusal(
    tx: Tx | undefined,
    application: Application,
    required: RequiredOrganization | undefined,
    session: Session,
  ): Promise<OAuthError | undefined> {
    if (!isOfRequired(required, session.orgId)) {
      return new OAuthError('access_denied', 'the user does not belong to the organization asked for');
    }
    const problem = await this.projectChecks.problem(tx, application, session);
    return problem === undefined ? undefined : new OAuthError('access_denied', problem);
  }
}
