import type { Abstract, ModuleMetadata, Type } from '@nestjs/common';
import { PostgresModule } from './postgres.module.js';

type Binding<Store> = readonly [contract: Abstract<Store>, implementation: Type<NoInfer<Store>>];

/** Binds store contracts of the domain to their classes for PostgreSQL, and exports them. */
export function storeBindings<Stores extends readonly unknown[]>(
  ...bindings: { readonly [Index in keyof Stores]: Binding<Stores[Index]> }
): ModuleMetadata {
  return {
    imports: [PostgresModule],
    providers: bindings.map(([provide, useClass]) => ({ provide, useClass })),
    exports: bindings.map(([contract]) => contract),
  };
}
