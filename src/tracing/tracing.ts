import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { versionOf } from '../config/version.js';
import { Log } from '../domain/shared/log.js';
import { oncePer } from '../domain/shared/once-per.js';
import { useTracer } from './trace.js';

/** What a collector that is away may take of the end of a process. */
const FLUSH_MS = 2_000;

/**
 * Sends spans to `OTEL_EXPORTER_OTLP_ENDPOINT` by OTLP over HTTP; does nothing where none is set. The packages are loaded only
 * then. A collector that is slow or away costs spans, never a request.
 */
@Injectable()
export class Tracing implements OnApplicationShutdown {
  private end: () => Promise<void> = async () => undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async start(kind: 'api' | 'worker'): Promise<void> {
    const { tracing } = this.config.app;
    if (tracing === undefined) return;
    const { endpoint, sampledShare } = tracing;
    const [{ diag, DiagLogLevel }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] =
      await Promise.all([
        import('@opentelemetry/api'),
        import('@opentelemetry/sdk-trace-node'),
        import('@opentelemetry/exporter-trace-otlp-http'),
        import('@opentelemetry/resources'),
      ]);
    // its own words can quote what the collector answered
    const warn = oncePer(30_000, () => this.log.warn('spans cannot be sent', { endpoint }));
    const silent = (): void => undefined;
    diag.setLogger(
      { error: () => warn(), warn: silent, info: silent, debug: silent, verbose: silent },
      { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
    );
    const version = versionOf(import.meta.dirname);
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
      headers: { ...tracing.headers },
      timeoutMillis: 5_000,
    });
    const provider = new sdk.NodeTracerProvider({
      resource: resourceFromAttributes({
        'service.name': `identity-${kind}`,
        'service.version': version,
        'service.instance.id': randomUUID(),
        ...tracing.resource,
        ...(tracing.serviceName !== undefined && { 'service.name': tracing.serviceName }),
      }),
      sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(sampledShare) }),
      spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
    });
    // no propagator: trace-requests.ts decides which callers to trust, and other hosts get no trace context
    provider.register({ propagator: null });
    useTracer(provider.getTracer('identity-service', version));
    this.end = async () => await provider.shutdown().catch(() => undefined);
    this.log.info('spans are sent', { endpoint, sampledShare });
  }

  async onApplicationShutdown(): Promise<void> {
    useTracer(undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS);
    });
    await Promise.race([this.end(), late]);
    clearTimeout(timer);
  }
}
