import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';

/** Whether it is a phone: where the side bar has no room either. */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}

/** So many rows are a screen or two of a phone. */
const STEP = 10;

interface Steps<Row> {
  readonly visible: readonly Row[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** On a phone what is long is shown a part at a time, whether more of it is here already or still has to be asked for. */
export function useSteps<Row>(
  rows: readonly Row[],
  more: { readonly hasMore?: boolean | undefined; readonly onMore?: (() => void) | undefined } = {},
  step = STEP,
): Steps<Row> {
  const { hasMore = false, onMore } = more;
  const isNarrow = useIsNarrow();
  const [shown, setShown] = useState(step);
  if (!isNarrow) return { visible: rows, hasMore, onMore: () => onMore?.() };
  return {
    visible: rows.slice(0, shown),
    hasMore: hasMore || shown < rows.length,
    onMore: () => {
      if (hasMore && shown + step > rows.length) onMore?.();
      setShown(shown + step);
    },
  };
}
