import { Injectable } from '@nestjs/common';
import { crashPoint } from '../shared/crash-point.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { AdministratorPlan } from './choose-administrator-password.js';
import type { BootstrapCredentials, CredentialsKeeper, LinkKeeper, TokenKeeper } from './credentials.js';
import { EnsureAdministrator, type EnsuredAdministrator } from './ensure-administrator.js';
import { EnsureConsole, type EnsuredConsole } from './ensure-console.js';
import { EnsureServiceUser, type EnsuredServiceUser, type ServiceUserPlan } from './ensure-service-user.js';
import { EnsureTourApplications, TOUR, type EnsuredApplications } from './ensure-tour-applications.js';
import { SetUpInstance, type DefaultOrganization } from './set-up-instance.js';

/**
 * The bootstrap module makes an empty database usable: instance, default organization and an administrator, who sets
 * their password by a one-time link unless one is configured, and the console's application. For development (`credentials`) also two service users and
 * the two applications of the tour; on request (`token`) one service user that owns the instance.
 *
 * It may run any number of times, also at once: a lock serializes the runs, each finds what exists and adds
 * what is missing. It changes nothing that exists: no password, token, secret, role or state, whoever set it, save what the
 * console needs of its own application. An administrator without a password lacks one: they get the configured one, and their one-time link ends.
 */
export interface BootstrapPlan {
  readonly orgName: string;
  /** Lower case. */
  readonly primaryDomain: string;
  /** Where the service is reached, without a slash at its end. */
  readonly publicUrl: string;
  readonly admin: AdministratorPlan;
}

/** Where secrets go. What is not given is not made. */
interface Keepers {
  /** For development only. */
  readonly credentials?: CredentialsKeeper | undefined;
  readonly token?: TokenKeeper | undefined;
  readonly link?: LinkKeeper | undefined;
  /** Replaces tokens and secrets whose value is lost; never a password. */
  readonly renew?: boolean;
}

/** What became of the service user's token. */
export type TokenOutcome =
  /** In the file now: made by this run, or by one that was cut short. */
  | 'made'
  /** The file's token is good. */
  | 'kept'
  /** The service user has had a token, and the file is missing: its value is lost. */
  | 'unknown'
  /** The file is there, and what it holds is no token that is theirs. */
  | 'file-not-true'
  /** The account is locked or deactivated, or its name belongs to a human user. */
  | 'no-service-user';

export interface BootstrapSummary {
  readonly organization: DefaultOrganization;
  readonly admin: EnsuredAdministrator;
  readonly console: EnsuredConsole;
  readonly token?: { readonly userName: string; readonly outcome: TokenOutcome };
  /** Secrets that the credentials lack, as paths in the file. */
  readonly leftOut: readonly string[];
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
    private readonly ensureConsole: EnsureConsole,
    private readonly ensureServiceUser: EnsureServiceUser,
    private readonly ensureTourApplications: EnsureTourApplications,
  ) {}

  async run(plan: BootstrapPlan, keepers: Keepers): Promise<BootstrapSummary> {
    const { credentials, token, link, renew = false } = keepers;
    return await this.unitOfWork.run(async (tx) => {
      const organization = await this.setUpInstance.execute(tx, plan.orgName, plan.primaryDomain);
      const { id: orgId } = organization;
      const console = await this.ensureConsole.execute(tx, plan.publicUrl);
      const held = (await credentials?.read()) ?? {};
      const admin = await this.ensureAdministrator.execute(tx, organization, plan.admin, {
        held: held.adminPassword,
        makePassword: credentials !== undefined,
      });
      // All files are written before the commit, so that no secret is valid that nobody has. If the commit fails,
      // they hold invalid values: the next run makes the token in its file valid, and writes the others again.
      if (admin.link !== undefined) await link?.write(admin.link.url);
      const kept = await token?.read();
      const adminService =
        credentials === undefined && token === undefined
          ? undefined
          : await this.ensureServiceUser.execute(tx, orgId, ADMIN_SERVICE_USER, {
              held: [...(kept?.kind === 'token' ? [kept.token] : []), held.adminServiceUserPat ?? ''],
              adopted: kept?.kind === 'token' && kept.ours ? kept.token : undefined,
              // what stands in the file is left there, so nobody would get to know another token
              issue: credentials !== undefined || kept?.kind === 'absent',
              renew,
            });
      if (kept?.kind === 'absent' && adminService?.pat !== undefined) await token?.write(adminService.pat);
      let leftOut: readonly string[] = [];
      if (credentials !== undefined && adminService !== undefined) {
        const service = await this.ensureServiceUser.execute(tx, orgId, SERVICE_USER, {
          held: [held.serviceUserPat ?? ''],
          issue: true,
          renew,
        });
        const tour = await this.ensureTourApplications.execute(tx, orgId, held.clientSecret, renew);
        const told = credentialsOf(organization, { admin, service, adminService, tour });
        await credentials.write(told);
        leftOut = leftOutOf(told);
      }
      crashPoint('bootstrap-before-commit');
      return {
        organization,
        admin,
        console,
        leftOut,
        ...(kept !== undefined &&
          adminService !== undefined && {
            token: { userName: adminService.userName, outcome: outcomeOf(kept, adminService) },
          }),
      };
    });
  }
}

function outcomeOf(
  kept: Awaited<ReturnType<TokenKeeper['read']>>,
  { pat, isUsable }: EnsuredServiceUser,
): TokenOutcome {
  if (kept.kind === 'token' && pat === kept.token) return 'kept';
  if (!isUsable) return 'no-service-user';
  if (kept.kind !== 'absent') return 'file-not-true';
  return pat === undefined ? 'unknown' : 'made';
}

interface Ensured {
  readonly admin: EnsuredAdministrator;
  readonly service: EnsuredServiceUser;
  readonly adminService: EnsuredServiceUser;
  readonly tour: EnsuredApplications;
}

function credentialsOf(
  { id: orgId, primaryDomain }: DefaultOrganization,
  { admin, service, adminService, tour }: Ensured,
): BootstrapCredentials {
  const { userId, loginName, password } = admin;
  return {
    orgId,
    primaryDomain,
    admin: { userId, loginName, password },
    serviceUser: { userId: service.userId, userName: service.userName, pat: service.pat },
    adminServiceUser: {
      userId: adminService.userId,
      userName: adminService.userName,
      pat: adminService.pat,
    },
    webApplication: {
      clientId: tour.webClientId,
      clientSecret: tour.clientSecret,
      redirectUri: TOUR.redirectUri,
      postLogoutRedirectUri: TOUR.postLogoutRedirectUri,
    },
    pkceApplication: { clientId: tour.pkceClientId, redirectUri: TOUR.pkceRedirectUri },
  };
}

function leftOutOf({ admin, serviceUser, adminServiceUser, webApplication }: BootstrapCredentials): string[] {
  const secrets = {
    'admin.password': admin.password,
    'serviceUser.pat': serviceUser.pat,
    'adminServiceUser.pat': adminServiceUser.pat,
    'webApplication.clientSecret': webApplication.clientSecret,
  };
  return Object.entries(secrets).flatMap(([name, secret]) => (secret === undefined ? [name] : []));
}
