import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { actorOf, ScimTokens } from '../../domain/scim/scim-tokens.js';
import { tokenInvalid } from '../../domain/shared/errors.js';
import { Log } from '../../domain/shared/log.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { ScimError, scimErrorAnswer } from '../shared/scim-errors.js';
import { UnreadableBody } from '../shared/server/json-body.js';
import { isObject } from './attributes.js';
import { GroupCalls } from './group-calls.js';
import { idAt } from './location.js';
import { tagsOf, type ScimAnswer, type ScimCall } from './scim-call.js';
import { UserCalls } from './user-calls.js';

export const MOST_BULK_OPERATIONS = 100;

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const bulkSchema = z.looseObject({
  failOnErrors: z.number().int().min(1).optional(),
  Operations: z.array(
    z.looseObject({
      method: z
        .string()
        .transform((method) => method.toUpperCase())
        .pipe(z.enum(METHODS)),
      path: z.string().max(1_000),
      bulkId: z.string().min(1).max(200).optional(),
      version: z.string().optional(),
      data: z.unknown().optional(),
    }),
  ),
});
interface Operation extends Readonly<z.output<typeof bulkSchema>['Operations'][number]> {
  /** Undefined for a path that leads nowhere. */
  readonly target: Target | undefined;
  /** The bulkIds that it refers to. */
  readonly references: readonly string[];
}

/** No resource has that many levels, and each is a call in itself. */
const DEEPEST = 20;

const PATH = /^\/?(Users|Groups)(?:\/([^/?#]+))?$/;
const REFERENCE = /^bulkId:(.+)$/;

interface Target {
  readonly type: 'Users' | 'Groups';
  /** As it is, without percent-encoding; it may be a reference to what another operation makes. */
  readonly id: string | undefined;
}

/** The result of an operation in the answer. */
interface Outcome {
  readonly method: string;
  readonly bulkId?: string;
  readonly location?: string;
  readonly version?: string;
  readonly status: string;
  readonly response?: object;
}

/**
 * Operations one after the other, each in a transaction of its own (RFC 7644 §3.7): what failed undoes nothing else. One that
 * refers to what another makes waits for it. Each counts against the limits of the token like a call by itself, and is refused
 * like one as soon as the token is over.
 */
@Injectable()
export class BulkCalls {
  constructor(
    private readonly users: UserCalls,
    private readonly groups: GroupCalls,
    private readonly tokens: ScimTokens,
    private readonly limits: CallerLimits,
    private readonly log: Log,
  ) {}

  /** @throws ScimError, ApiError resource-exhausted for too many */
  async run(call: ScimCall): Promise<ScimAnswer> {
    const { operations, failOnErrors } = readBulk(call.body);
    const made = new Map<string, string>();
    const outcomes: Outcome[] = [];
    let failed = 0;
    let waiting: readonly Operation[] = operations;
    while (waiting.length > 0 && failed < failOnErrors) {
      const operation = nextOf(waiting, made);
      waiting = waiting.filter((other) => other !== operation);
      const outcome = await this.outcomeOf(call, operation, made);
      outcomes.push(outcome);
      if (Number(outcome.status) >= 400) failed += 1;
    }
    return {
      status: 200,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'], Operations: outcomes },
    };
  }

  private async outcomeOf(call: ScimCall, operation: Operation, made: Map<string, string>): Promise<Outcome> {
    const { method, bulkId } = operation;
    const told = { method, ...(bulkId !== undefined && { bulkId }) };
    try {
      if (!(await this.tokens.isLive(call.token))) throw tokenInvalid();
      await this.limits.admit(actorOf(call.token));
      const { status, location, etag } = await this.dispatch(call, operation, made);
      const id = location === undefined ? undefined : idAt(location);
      if (method === 'POST' && bulkId !== undefined && id !== undefined) made.set(bulkId, id);
      return {
        ...told,
        ...(location && { location }),
        ...(etag && { version: etag }),
        status: String(status),
      };
    } catch (error) {
      const { status, body } = scimErrorAnswer(error, randomUUID());
      if (status === 500) this.log.error('bulk operation failed', error);
      return { ...told, status: String(status), response: body };
    }
  }

  private async dispatch(
    call: ScimCall,
    operation: Operation,
    made: Map<string, string>,
  ): Promise<ScimAnswer> {
    const { method, target, version, data } = operation;
    if (target === undefined || (target.id === undefined) !== (method === 'POST')) {
      throw new ScimError('invalidPath', 'path must be /Users or /Groups, with an id unless method is POST');
    }
    const calls = target.type === 'Users' ? this.users : this.groups;
    const id = target.id === undefined ? undefined : resolved(target.id, made);
    const one = { ...call, query: {}, body: resolvedData(data, made), ifMatch: tagsOf(version) };
    if (id === undefined) return await calls.create(one);
    if (method === 'PUT') return await calls.replace(one, id);
    return method === 'PATCH' ? await calls.patch(one, id) : await calls.delete(one, id);
  }
}

function readBulk(body: unknown): {
  readonly operations: readonly Operation[];
  readonly failOnErrors: number;
} {
  if (isObject(body) && isMany(body['Operations'])) {
    // RFC 7644 §3.7.4; first, as each element that is no operation would come with a fault of its own
    const text = `a bulk request has ${MOST_BULK_OPERATIONS} operations at most (maxOperations)`;
    throw new UnreadableBody(413, 8, text);
  }
  const read = bulkSchema.safeParse(body);
  if (!read.success) {
    const text = 'Operations must be a list of objects with method (POST, PUT, PATCH, DELETE), path and data';
    throw new ScimError('invalidSyntax', text);
  }
  const { Operations: given, failOnErrors = Number.MAX_SAFE_INTEGER } = read.data;
  if (given.some(({ method, bulkId }) => method === 'POST' && bulkId === undefined)) {
    throw new ScimError('invalidSyntax', 'a POST must have a bulkId');
  }
  const operations = given.map((one) => {
    const target = targetAt(one.path);
    return { ...one, target, references: references([target?.id, one.data]) };
  });
  return { operations, failOnErrors };
}

function isMany(operations: unknown): boolean {
  return Array.isArray(operations) && operations.length > MOST_BULK_OPERATIONS;
}

/** An id is percent-encoded there as in any path (RFC 3986 §3.3). */
function targetAt(path: string): Target | undefined {
  const [, type, segment] = PATH.exec(path) ?? [];
  const id = segment === undefined ? undefined : idAt(segment);
  if (type === undefined || (segment !== undefined && id === undefined)) return undefined;
  return { type: type as Target['type'], id };
}

/** The first one that refers to nothing that is still to be made; where all do, the first, which fails. */
function nextOf(waiting: readonly Operation[], made: ReadonlyMap<string, string>): Operation {
  const toCome = new Set(
    waiting.map(({ bulkId }) => bulkId).filter((id) => id !== undefined && !made.has(id)),
  );
  const isReady = (operation: Operation): boolean => !operation.references.some((id) => toCome.has(id));
  const found = waiting.find(isReady) ?? waiting[0];
  if (found === undefined) throw new Error('there is no operation left');
  return found;
}

/** @throws ScimError invalidSyntax for what has too many levels */
function references(value: unknown, level = 0): readonly string[] {
  if (level > DEEPEST) throw new ScimError('invalidSyntax', `data can have ${DEEPEST} levels at most`);
  if (typeof value === 'string') {
    const id = REFERENCE.exec(value)?.[1];
    return id === undefined ? [] : [id];
  }
  const members: readonly unknown[] = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.values(value)
      : [];
  return members.flatMap((member) => references(member, level + 1));
}

function resolved(text: string, made: ReadonlyMap<string, string>): string {
  const bulkId = REFERENCE.exec(text)?.[1];
  return bulkId === undefined ? text : idOf(bulkId, made);
}

function resolvedData(value: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return resolved(value, made);
  if (Array.isArray(value)) return value.map((item) => resolvedData(item, made));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolvedData(member, made)]),
  );
}

function idOf(bulkId: string, made: ReadonlyMap<string, string>): string {
  const id = made.get(bulkId);
  if (id === undefined)
    throw new ScimError('invalidValue', `bulkId ${bulkId.slice(0, 50)} is nothing that was made`);
  return id;
}
