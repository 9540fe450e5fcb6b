import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../domain/shared/clock.js';
import {
  OldSystem,
  OldSystemFailed,
  type OldCredentials,
  type WebhookMigration,
} from '../domain/user-migration/old-system.js';
import { UserMigrationsStore } from '../domain/user-migration/user-migrations.store.js';
import { CircuitBreaker, CircuitOpen } from './circuit-breaker.js';
import { guardedFetch } from './guarded-fetch.js';
import { webhookSignature } from './webhooks/webhook-signature.js';

/** A human with a long profile has a few. */
const MOST_ANSWER_BYTES = 64 * 1024;
/** It does not know the name, or not with that password. Everything else that is not 200 is a failure. */
const NO = new Set([401, 404]);

/**
 * The old systems of organizations. Each has its own circuit breaker: one that is down does not delay sign-ins for long, and
 * does not affect that of another organization.
 */
@Injectable()
export class OutboundOldSystem extends OldSystem {
  private readonly breaker = new CircuitBreaker();
  private readonly allowPrivate: boolean;

  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly clock: Clock,
    config: Config,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async ask(migration: WebhookMigration, credentials: OldCredentials): Promise<unknown> {
    const deadline = AbortSignal.timeout(migration.deadlineMs);
    try {
      return await this.breaker.run(
        `${migration.orgId} ${migration.settings.url}`,
        () => true,
        async () => await this.post(migration, credentials, deadline),
      );
    } catch (error) {
      throw error instanceof OldSystemFailed ? error : new OldSystemFailed(reasonOf(error));
    }
  }

  private async post(
    migration: WebhookMigration,
    { loginName, password }: OldCredentials,
    deadline: AbortSignal,
  ): Promise<unknown> {
    const secret = await this.migrations.openSecret(migration);
    if (secret === undefined) throw new OldSystemFailed('it was changed a moment ago');
    const body = JSON.stringify({ loginName, password });
    const response = await guardedFetch(
      migration.settings.url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'x-signature': webhookSignature(secret, this.clock.nowSeconds(), body),
        },
        body,
        deadline,
        mostBytes: MOST_ANSWER_BYTES,
      },
      this.allowPrivate,
    );
    if (NO.has(response.status)) return undefined;
    if (response.status !== 200) throw new OldSystemFailed(`status ${response.status}`);
    const answer = readJson(await response.text());
    if (answer === undefined) throw new OldSystemFailed('the answer is no JSON');
    return answer;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What went wrong, by kind only: messages name hosts, addresses and values. */
function reasonOf(error: unknown): string {
  if (error instanceof CircuitOpen) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
