import { Skeleton, Stack } from '@mantine/core';

/** The shape of a page before its content is there: nothing turns, and little moves when it comes. */
export function LoadingPage() {
  return (
    <Stack aria-busy="true" aria-live="polite" className="console-page" pt="xl">
      <Skeleton height={32} width={240} />
      <Skeleton height={16} width={420} maw="100%" />
      <LoadingRows />
    </Stack>
  );
}

export function LoadingRows({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={44} radius="sm" />
      ))}
    </Stack>
  );
}
