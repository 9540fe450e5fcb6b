import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ENDED_STATES, type ImportJob } from '../../domain/imports/import-job.js';
import { ImportJobs } from '../../domain/imports/import-jobs.js';
import type { RecordOutcome } from '../../domain/imports/write/record-outcome.js';
import type { ImportedData, ImportedOrg, ItemError } from './organization-data.schemas.js';

const LOOK_EVERY_MS = 200;

/**
 * Polls the import of whole organizations, which workers run: the caller may
 * disconnect, and this process may stop.
 */
@Injectable()
export class DataImport {
  constructor(private readonly imports: ImportJobs) {}

  /** @returns undefined when it had not ended in time, or nobody waits any more */
  async wait(job: ImportJob, ms: number, gone: AbortSignal): Promise<ImportJob | undefined> {
    const deadline = performance.now() + ms;
    let seen = job;
    // nothing to do is nothing to wait for
    while (seen.total !== 0 && !ENDED_STATES.includes(seen.state)) {
      const left = deadline - performance.now();
      if (left <= 0 || gone.aborted) return undefined;
      await wait(Math.min(LOOK_EVERY_MS, left), undefined, { ref: false });
      seen = await this.imports.find(job.orgId, job.id);
    }
    return seen;
  }

  /** What became of all that the file had, in the form of protocol §2.1. */
  async describe(job: ImportJob): Promise<ImportedData> {
    const errors: ItemError[] = [];
    const orgs = new Map<string, ImportedOrg>();
    for await (const outcome of this.imports.results(job.orgId, job.id)) {
      const isIn =
        outcome.outcome === 'created' || outcome.outcome === 'updated' || outcome.code === 'unchanged';
      if (!isIn) errors.push(errorOf(outcome));
      else {
        const orgId = outcome.orgId ?? job.orgId;
        const org = orgs.get(orgId) ?? { orgId };
        orgs.set(orgId, org);
        note(org, outcome);
        if (outcome.code === 'left_out') errors.push(errorOf(outcome));
      }
    }
    if (job.state !== 'done' && job.total !== 0) {
      const why = job.reason === undefined ? '' : `: ${job.reason}`;
      errors.push({ type: 'human_user', id: job.id, message: told(`the import is ${job.state}${why}`) });
    }
    const found = [...orgs.values()];
    return { ...(errors.length > 0 && { errors }), success: found.length > 0 ? { orgs: found } : {} };
  }
}

/** What protocol §2.1 has no word for goes by what it belongs to. */
const WIRE_TYPES: Readonly<Record<string, string>> = { org_state: 'org', project_state: 'project' };

function errorOf({ line, type, givenId, path, code, message = '' }: RecordOutcome): ItemError {
  const isUser = type === undefined || type === 'machine_user';
  const id = givenId ?? (isUser ? undefined : path) ?? `line ${line}`;
  const isKnown = isUser && code === 'already_exists' && path !== 'passkeys' && path !== 'idps';
  return {
    type: WIRE_TYPES[type ?? ''] ?? type ?? 'human_user',
    id,
    message: isKnown ? 'ID=V3-DKcYh Message=Errors.User.AlreadyExists' : told(message),
  };
}

function note(org: ImportedOrg, { type, userId, givenId = '', names = {} }: RecordOutcome): void {
  const { key = '', projectId = '' } = names;
  const whose = names.userId ?? '';
  switch (type) {
    case undefined:
      (org.humanUserIds ??= []).push(userId ?? givenId);
      return;
    case 'machine_user':
      (org.machineUserIds ??= []).push(userId ?? givenId);
      return;
    case 'domain':
      (org.domains ??= []).push(key);
      return;
    case 'project':
      (org.projectIds ??= []).push(givenId);
      return;
    case 'project_role':
      (org.projectRoles ??= []).push(givenId);
      return;
    case 'oidc_app':
      (org.oidcAppIds ??= []).push(givenId);
      return;
    case 'api_app':
      (org.apiAppIds ??= []).push(givenId);
      return;
    case 'user_metadata':
      (org.userMetadata ??= []).push({ userId: whose, key });
      return;
    case 'app_key':
      (org.appKeys ??= []).push(givenId);
      return;
    case 'machine_user_key':
      (org.machineKeys ??= []).push(givenId);
      return;
    case 'user_link': {
      const { idpId = '', displayName } = names;
      (org.userLinks ??= []).push({
        userId: whose,
        externalUserId: key,
        ...(displayName !== undefined && { displayName }),
        idpId,
      });
      return;
    }
    case 'project_grant':
      (org.projectGrants ??= []).push({ grantId: givenId, projectId, orgId: key });
      return;
    case 'user_grant':
      (org.userGrants ??= []).push({ projectId, userId: whose });
      return;
    case 'org_member':
      (org.orgMembers ??= []).push(whose);
      for (const { kind, id } of names.ended ?? []) {
        (org.endedCredentials ??= []).push({ userId: whose, kind, id });
      }
  }
}

/** `text (ID)` of our errors, the format of this call. */
function told(message: string): string {
  const [, text = message, id = 'IMPORT-1nVal'] = /^(.*) \(([\w-]+)\)$/s.exec(message) ?? [];
  return `ID=${id} Message=${text}`;
}
