import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { BootstrapCredentials, CredentialsKeeper } from './credentials.js';
import { type AdministratorPlan, EnsureAdministrator } from './ensure-administrator.js';
import { EnsureServiceUser, type ServiceUserPlan } from './ensure-service-user.js';
import { EnsureTourApplications, TOUR } from './ensure-tour-applications.js';
import { type DefaultOrganization, SetUpInstance } from './set-up-instance.js';

/**
 * The bootstrap room makes an empty database usable: instance, default organization, an administrator and two service
 * users; with a keeper also the two clients of the tour, whose development mode has no place in production. It may run any number of times, also at once: a lock lets one run after the other, each
 * finds what is there, and adds what is missing. Secrets are only issued when a keeper takes them; those it holds
 * are checked, and one that is lost or no longer true is replaced by a new one.
 */
export interface BootstrapPlan {
  readonly orgName: string;
  /** Lower case. */
  readonly primaryDomain: string;
  readonly admin: AdministratorPlan;
}

export interface BootstrapSummary {
  readonly organization: DefaultOrganization;
  readonly adminLoginName: string;
  /** False when the administrator cannot sign in yet. */
  readonly adminHasPassword: boolean;
}

const SERVICE_USER: ServiceUserPlan = {
  userName: 'service-user',
  name: 'Service user',
  description: 'Imports users and manages this organization',
  role: 'ORG_OWNER',
};

const ADMIN_SERVICE_USER: ServiceUserPlan = {
  userName: 'admin-service-user',
  name: 'Administration service user',
  description: 'Manages the instance',
  role: 'IAM_OWNER',
};

@Injectable()
export class Bootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly setUpInstance: SetUpInstance,
    private readonly ensureAdministrator: EnsureAdministrator,
    private readonly ensureServiceUser: EnsureServiceUser,
    private readonly ensureTourApplications: EnsureTourApplications,
  ) {}

  async run(plan: BootstrapPlan, keeper: CredentialsKeeper | undefined): Promise<BootstrapSummary> {
    return await this.unitOfWork.run(async (tx) => {
      const organization = await this.setUpInstance.execute(tx, plan.orgName, plan.primaryDomain);
      const orgId = organization.id;
      const held = (await keeper?.read()) ?? {};
      const issue = keeper !== undefined;
      const admin = await this.ensureAdministrator.execute(
        tx,
        organization,
        plan.admin,
        held.adminPassword,
        issue,
      );
      const service = await this.ensureServiceUser.execute(
        tx,
        orgId,
        SERVICE_USER,
        held.serviceUserPat,
        issue,
      );
      const adminService = await this.ensureServiceUser.execute(
        tx,
        orgId,
        ADMIN_SERVICE_USER,
        held.adminServiceUserPat,
        issue,
      );
      // Written before the commit: whoever waits for the lock then finds it. Were the commit to fail, the next run
      // finds secrets that are not true, and issues new ones.
      if (keeper !== undefined) {
        const tour = await this.ensureTourApplications.execute(tx, orgId, held.clientSecret);
        await keeper.write(credentialsOf(organization, { admin, service, adminService, tour }));
      }
      return {
        organization,
        adminLoginName: admin.loginName,
        adminHasPassword: admin.hasPassword,
      };
    });
  }
}

interface Ensured {
  readonly admin: Awaited<ReturnType<EnsureAdministrator['execute']>>;
  readonly service: Awaited<ReturnType<EnsureServiceUser['execute']>>;
  readonly adminService: Awaited<ReturnType<EnsureServiceUser['execute']>>;
  readonly tour: Awaited<ReturnType<EnsureTourApplications['execute']>>;
}

function credentialsOf(
  { id: orgId, primaryDomain }: DefaultOrganization,
  { admin, service, adminService, tour }: Ensured,
): BootstrapCredentials {
  return {
    orgId,
    primaryDomain,
    admin: { userId: admin.userId, loginName: admin.loginName, password: known(admin.password) },
    serviceUser: { ...service, pat: known(service.pat) },
    adminServiceUser: { ...adminService, pat: known(adminService.pat) },
    webApplication: {
      clientId: tour.webClientId,
      clientSecret: tour.clientSecret,
      redirectUri: TOUR.redirectUri,
      postLogoutRedirectUri: TOUR.postLogoutRedirectUri,
    },
    pkceApplication: { clientId: tour.pkceClientId, redirectUri: TOUR.pkceRedirectUri },
  };
}

function known(secret: string | undefined): string {
  if (secret === undefined) throw new Error('a secret that was to be issued is missing');
  return secret;
}
