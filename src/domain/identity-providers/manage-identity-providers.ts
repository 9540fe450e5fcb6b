import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { ProviderHosts } from '../notifications/providers/provider-hosts.js';
import { projectNotFound } from '../projects/project-not-found.js';
import { ProjectsStore } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { IdentityProviderId, OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UserIdentitiesStore } from './identities/user-identities.store.js';
import type { IdentityProvider, IdentityProviderPlan, ProviderState } from './identity-provider.js';
import {
  IdentityProvidersStore,
  type IdentityProviderPlace,
  type IdentityProviderRecord,
  type ProviderSecretChange,
} from './identity-providers.store.js';
import { rulesOf } from './rules-of-kind.js';
import type { ReadSamlMetadata } from './saml/saml-kind.js';
import { readAgain, stillTyped } from './saml/saml-rules.js';

export function identityProviderNotFound(): ApiError {
  return new ApiError('not-found', 'Identity provider could not be found', 'IDP-Nf3kq');
}

interface IdentityProviderChange extends IdentityProviderPlace {
  /** Null for the service itself. */
  readonly actorId: UserId | null;
}

/**
 * Providers of an organization are kept by its owners, those of the instance by its administrators. One that was just added
 * signs nobody in before it is activated. A secret goes in and never comes out, and one that is stored goes nowhere but where
 * it was meant to: who points a provider elsewhere has to give the secret again.
 */
@Injectable()
export class ManageIdentityProviders {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly identities: UserIdentitiesStore,
    private readonly events: EventsStore,
    private readonly projects: ProjectsStore,
    private readonly hosts: ProviderHosts,
  ) {}

  /** @throws ApiError invalid-argument, already-exists */
  async add(
    tx: Tx,
    orgId: OrgId | null,
    plan: IdentityProviderPlan,
    secret: string | undefined,
    actorId: UserId,
  ): Promise<{ readonly id: IdentityProviderId; readonly details: ResourceDetails }> {
    this.requireAllowed(orgId, plan);
    await this.requireProjects(tx, orgId, plan);
    requireSecret(plan, secret);
    const added = await this.providers.add(tx, orgId, plan, secret);
    const { kind } = plan;
    await this.record(tx, 'added', { orgId, id: added.id, actorId }, added.details, { data: { kind } });
    return added;
  }

  /** Replaces everything but the secret, which stays as it is where none is given. @throws ApiError as `add`, not-found */
  async replace(
    tx: Tx,
    change: IdentityProviderChange,
    plan: IdentityProviderPlan,
    secret: string | undefined,
  ): Promise<ResourceDetails> {
    this.requireAllowed(change.orgId, plan);
    const { provider } = await this.lockForUpdate(tx, change);
    await this.requireProjects(tx, change.orgId, plan);
    return await this.put(tx, change, provider, noting(provider, plan), secret);
  }

  /**
   * What the provider's metadata says by now: where people are sent, and the keys that it signs with, unless somebody typed those.
   * @throws ApiError not-found, invalid-argument for the metadata of another provider, aborted where somebody has changed
   *   where the provider is or its keys since it was read: what they typed stands, and may name another address
   */
  async takeMetadata(
    tx: Tx,
    change: IdentityProviderChange,
    { metadata, before }: ReadSamlMetadata,
  ): Promise<ResourceDetails> {
    const { provider, details } = await this.lockForUpdate(tx, change);
    if (provider.kind !== 'saml') throw identityProviderNotFound();
    const plan = { ...provider, settings: readAgain(provider.settings, metadata) };
    if (isDeepStrictEqual(plan.settings, provider.settings)) return details;
    if (!isDeepStrictEqual(provider.settings, before)) {
      throw new ApiError('aborted', 'The provider was changed while its metadata was read', 'IDP-Cm7wr');
    }
    this.requireAllowed(change.orgId, plan);
    return await this.put(tx, change, provider, plan, undefined);
  }

  private async put(
    tx: Tx,
    change: IdentityProviderChange,
    provider: IdentityProvider,
    plan: IdentityProviderPlan,
    secret: string | undefined,
  ): Promise<ResourceDetails> {
    await this.requireSameSubjects(tx, provider, plan);
    const secretChange = secretOf(provider, plan, secret);
    const details = await this.providers.replace(tx, change, plan, secretChange);
    if (details === undefined) throw identityProviderNotFound();
    const fields = [
      ...differences(provider, plan),
      ...(secretChange === 'keep' ? [] : [rulesOf(plan).secret?.field ?? 'clientSecret']),
    ].sort();
    await this.record(tx, 'changed', change, details, { fields });
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async setState(tx: Tx, change: IdentityProviderChange, state: ProviderState): Promise<ResourceDetails> {
    const { provider } = await this.lockForUpdate(tx, change);
    if (state === 'active' && !rulesOf(provider).isComplete) {
      throw new ApiError('failed-precondition', 'Metadata of the provider is missing', 'IDP-Mm3cx');
    }
    const details = await this.providers.setState(tx, change, state);
    if (details === undefined) {
      throw new ApiError('failed-precondition', `Identity provider is ${state} already`, 'IDP-St5wz');
    }
    await this.record(tx, state === 'active' ? 'activated' : 'deactivated', change, details);
    return details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, change: IdentityProviderChange): Promise<ResourceDetails> {
    await this.lockForUpdate(tx, change);
    const details = await this.providers.remove(tx, change);
    if (details === undefined) throw identityProviderNotFound();
    await this.record(tx, 'removed', change, details);
    return details;
  }

  /**
   * A user with a subject at one provider must not be taken for a user with the same subject at another one: not in two steps
   * either, of which the first takes the metadata away (security S501).
   */
  private async requireSameSubjects(
    tx: Tx,
    before: IdentityProvider,
    after: IdentityProviderPlan,
  ): Promise<void> {
    const [was, is] = [rulesOf(before), rulesOf(after)];
    if (was.isComplete && !is.isComplete) {
      throw new ApiError('invalid-argument', 'what is known of the provider cannot be taken away');
    }
    const isSame = before.kind === after.kind && isDeepStrictEqual(was.subjects, is.subjects);
    if (isSame || (before.kind === after.kind && (await this.mayBecome(tx, before)))) return;
    throw new ApiError(
      'invalid-argument',
      'kind, and what says who the provider is, cannot be changed: add another provider',
    );
  }

  /** One that lacks its metadata has signed nobody in. Whom a manager or an import has named is at the one that it was known to be. */
  private async mayBecome(tx: Tx, before: IdentityProvider): Promise<boolean> {
    if (rulesOf(before).isComplete) return false;
    const isKnown = before.kind !== 'saml' || before.settings.entityId !== undefined;
    return !isKnown || !(await this.identities.isAnybodys(tx, before.id));
  }

  private async lockForUpdate(tx: Tx, place: IdentityProviderPlace): Promise<IdentityProviderRecord> {
    const record = await this.providers.lockForUpdate(tx, place);
    if (record === undefined) throw identityProviderNotFound();
    return record;
  }

  private requireAllowed(orgId: OrgId | null, plan: IdentityProviderPlan): void {
    const rules = rulesOf(plan);
    const { typedUrls, visitedUrls = [] } = rules;
    const problems = [
      ...typedUrls.map(([field, url]) => [field, this.hosts.problemWithUrl(url)] as const),
      ...visitedUrls.map(([field, url]) => [field, this.hosts.problemWithVisit(url)] as const),
    ];
    for (const [field, problem] of problems) {
      if (problem !== undefined) throw new ApiError('invalid-argument', `${field} ${problem}`);
    }
    rules.requireAllowed?.(this.hosts);
    if (plan.homeRealm && orgId === null) {
      throw new ApiError('invalid-argument', 'homeRealm is for providers of an organization');
    }
    if (plan.mapping.roles.length > 0 && orgId === null) {
      throw new ApiError('invalid-argument', 'mapping.roles is for providers of an organization');
    }
  }

  /** Roles of other organizations' projects cannot be assigned, and the error does not reveal whether such a project exists. */
  private async requireProjects(
    tx: Tx,
    orgId: OrgId | null,
    { mapping }: IdentityProviderPlan,
  ): Promise<void> {
    if (orgId === null) return;
    for (const projectId of new Set(mapping.roles.map((rule) => rule.projectId))) {
      if ((await this.projects.find(orgId, projectId, tx)) === undefined) throw projectNotFound();
    }
  }

  private async record(
    tx: Tx,
    what: 'added' | 'changed' | 'activated' | 'deactivated' | 'removed',
    { orgId, id, actorId }: IdentityProviderChange,
    { sequence }: ResourceDetails,
    more: { fields?: readonly string[]; data?: Readonly<Record<string, string>> } = {},
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'identity_provider',
      aggregateId: id,
      sequence,
      type: `identity_provider.${what}`,
      actorId,
      ...more,
    });
  }
}

function requireSecret(plan: IdentityProviderPlan, secret: string | undefined): void {
  const rules = rulesOf(plan).secret;
  if (rules === undefined) {
    if (secret === undefined) return;
    throw new ApiError('invalid-argument', 'clientSecret is not for a client without authentication');
  }
  if (secret === undefined) throw new ApiError('invalid-argument', `${rules.field} is required`);
  rules.require(secret);
}

function secretOf(
  before: IdentityProvider,
  plan: IdentityProviderPlan,
  given: string | undefined,
): ProviderSecretChange {
  const rules = rulesOf(plan).secret;
  if (rules === undefined || given !== undefined) {
    requireSecret(plan, given);
    return given === undefined ? 'none' : { set: given };
  }
  if (rulesOf(before).secret?.destination === rules.destination) return 'keep';
  const sentence = `${rules.field} must be given again, because it would go elsewhere`;
  throw new ApiError('invalid-argument', sentence);
}

/** With what somebody typed of it, now or before. */
function noting(before: IdentityProvider, plan: IdentityProviderPlan): IdentityProviderPlan {
  if (before.kind !== 'saml' || plan.kind !== 'saml') return plan;
  return { ...plan, settings: { ...plan.settings, typed: stillTyped(before.settings, plan.settings) } };
}

/** Names of the fields that change, those of the kind's own settings among them. */
function differences(before: IdentityProvider, after: IdentityProviderPlan): string[] {
  const earlier: Readonly<Record<string, unknown>> = { ...before, ...before.settings };
  const later: Readonly<Record<string, unknown>> = { ...after, ...after.settings };
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  for (const name of ['id', 'orgId', 'version', 'settings', 'typed']) names.delete(name);
  return [...names].filter((name) => !isDeepStrictEqual(earlier[name], later[name]));
}
