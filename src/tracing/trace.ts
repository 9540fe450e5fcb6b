import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';

/**
 * Spans of what this process does, made by hand where everything passes: requests, jobs, statements, calls out. The packages
 * that patch libraries do not see into bundled programs, and would write whole URLs and statements into their spans, with
 * codes and addresses in them. A span here has names from this repository, hosts, counts and kinds of error: never a value.
 *
 * Until `startTracing` nothing is made, and each function below costs a comparison.
 */
let tracer: Tracer | undefined;

/** Called by `startTracing` alone; undefined ends it. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

interface TracedJob {
  readonly queue: string;
  readonly name: string;
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** Of what enqueued it; undefined where that was not traced. */
  readonly traceparent: string | undefined;
}

interface SpanSettings {
  /** Few different ones: the name of a statement, the pattern of a route. */
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/** A span around work, below the one that is active; none where none is, as in what runs every second. */
function traced<T>(settings: SpanSettings, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined || trace.getActiveSpan() === undefined) return work();
  return within(tracer.startSpan(settings.name, settings), context.active(), work);
}

/** What PostgreSQL is asked, by the statement's name. */
export function tracedStatement<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  const attributes = { 'db.system.name': 'postgresql' };
  return traced({ name: name === '' ? 'unnamed' : name, kind: SpanKind.CLIENT, attributes }, work);
}

/** A call to another host: the trace is not propagated, and the span has only its name. */
export function tracedCall<T>(name: string, host: string, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  return traced({ name, kind: SpanKind.CLIENT, attributes: { 'server.address': host } }, work);
}

/** One run of a job, in the trace of what enqueued it. */
export function tracedJob<T>(
  { queue, name, id, attempt, traceparent }: TracedJob,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'job.attempt': attempt,
  };
  return tracedRoot({ name: `process ${name}`, kind: SpanKind.CONSUMER, attributes }, traceparent, work);
}

/** A span that belongs to no other one of this process. @param traceparent of what caused it, elsewhere or before */
function tracedRoot<T>(
  settings: SpanSettings,
  traceparent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work();
  const parent = contextOf(traceparent);
  return within(tracer.startSpan(settings.name, settings, parent), parent, work);
}

async function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** What is begun in one call and ended in another. Undefined while nothing is traced. */
export class OpenSpan {
  private constructor(
    private readonly span: Span,
    private readonly active: Context,
  ) {}

  static start(settings: SpanSettings, traceparent: string | undefined): OpenSpan | undefined {
    if (tracer === undefined) return undefined;
    const parent = contextOf(traceparent);
    const span = tracer.startSpan(settings.name, settings, parent);
    return new OpenSpan(span, trace.setSpan(parent, span));
  }

  /** Runs what belongs below it: the engine forgets it where a socket brings the next bytes. */
  enter(work: () => void): void {
    context.with(this.active, work);
  }

  end(name: string, attributes: Attributes, failed: boolean): void {
    this.span.updateName(name).setAttributes(attributes);
    if (failed) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

/** The kind of an error alone: its message can quote what somebody typed. */
function fail(span: Span, error: unknown): void {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  const type = [code, name].find((found) => typeof found === 'string') ?? '_OTHER';
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}

/** W3C Trace Context §3.2: version, trace, span, flags. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const remote: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  return trace.isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}

/** Of the active span, for whoever carries on elsewhere; undefined where there is none. */
export function activeTraceparent(): string | undefined {
  const found = activeSpanContext();
  if (found === undefined) return undefined;
  return `00-${found.traceId}-${found.spanId}-0${found.traceFlags & TraceFlags.SAMPLED}`;
}

/** What a log line says of the active span; nothing where there is none. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const found = activeSpanContext();
  return found === undefined ? {} : { trace_id: found.traceId, span_id: found.spanId };
}

function activeSpanContext(): SpanContext | undefined {
  return tracer === undefined ? undefined : trace.getActiveSpan()?.spanContext();
}
