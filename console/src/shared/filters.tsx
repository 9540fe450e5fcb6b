import type { ReactNode } from 'react';

interface FiltersProperties {
  /** How many there are: rows of them are to be full. */
  readonly count: number;
  readonly children: ReactNode;
}

/** Many filters above a list, in a grid: as many beside each other as there is room for. */
export function Filters({ count, children }: FiltersProperties) {
  return (
    <div className="filters">
      <div data-odd={count % 2 === 1 || undefined} data-columns={count % 3 === 0 ? 3 : 4}>
        {children}
      </div>
    </div>
  );
}
