import { applyDecorators, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { camelCase } from '../../domain/imports/records/read-fields.js';
import { callerOf } from './caller.js';
import { Described } from './schemas/described.js';
import { readJsonBody } from './server/json-body.js';
import { StepUpRules } from './step-up-rules.js';

/**
 * Whether a route is a sensitive one: always, or where its body gives one of these fields. Whatever removes something is
 * one unasked.
 */
export type StepUpWhere = 'always' | readonly string[];
const Sensitive = Reflector.createDecorator<StepUpWhere>();

export function AsksForStepUp(where: StepUpWhere): MethodDecorator {
  return applyDecorators(
    Sensitive(where),
    Described(({ ApiExtension }) => [ApiExtension('x-step-up', where)]),
  );
}

/** Whether a sensitive call may have to be made: the guard of tokens then asks how its user signed in. */
export function mayAskForStepUp(reflector: Reflector, context: ExecutionContext): boolean {
  return whereOf(reflector, context) !== undefined;
}

function whereOf(reflector: Reflector, context: ExecutionContext): StepUpWhere | undefined {
  const { method } = context.switchToHttp().getRequest<FastifyRequest>();
  return method === 'DELETE' ? 'always' : reflector.get(Sensitive, context.getHandler());
}

/** Runs after the permission guard: nobody signs in once more for what they may not do. */
@Injectable()
export class StepUpGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly rules: StepUpRules,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const where = whereOf(this.reflector, context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (where !== undefined && (where === 'always' || givesOneOf(where, request))) {
      await this.rules.require(callerOf(request));
    }
    return true;
  }
}

/** A body that cannot be read gives nothing: it is refused by whoever reads it next. */
function givesOneOf(fields: readonly string[], request: FastifyRequest): boolean {
  const body = readable(request);
  if (typeof body !== 'object' || body === null) return false;
  return Object.entries(body).some(
    ([name, value]) => fields.includes(camelCase(name)) && value !== null && value !== false,
  );
}

function readable(request: FastifyRequest): unknown {
  try {
    return readJsonBody(request);
  } catch {
    return undefined;
  }
}
