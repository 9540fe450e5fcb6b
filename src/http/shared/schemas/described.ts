/** `@nestjs/swagger` as it is loaded: one in seven of the files that the API would load to start. */
type Swagger = typeof import('@nestjs/swagger');

const waiting: ((swagger: Swagger) => void)[] = [];

/**
 * Decorators of `@nestjs/swagger` that say what a handler is in the OpenAPI document. They are made and applied when the
 * document is first asked for: nothing else reads them.
 */
export function Described(decorators: (swagger: Swagger) => readonly MethodDecorator[]): MethodDecorator {
  return (target, key, descriptor) => {
    waiting.push((swagger) => {
      for (const decorate of decorators(swagger)) decorate(target, key, descriptor);
    });
  };
}

/** Applies what waits. */
export async function describeHandlers(): Promise<Swagger> {
  const swagger = await import('@nestjs/swagger');
  for (const describe of waiting.splice(0)) describe(swagger);
  return swagger;
}
