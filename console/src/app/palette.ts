import { createSpotlight } from '@mantine/spotlight';
import { useEffect, useSyncExternalStore } from 'react';

/** Whether the command palette is open; it opens as soon as it is loaded. */
export const [paletteStore, palette] = createSpotlight();

/** Loaded when somebody means to open it. */
export const loadPalette = async () => await import('./command-palette.tsx');

/** Ahead of that. What fails is loaded again, and told, where it is wanted. */
export const loadPaletteAhead = () => void loadPalette().catch(() => undefined);

export function useIsPaletteOpen(): boolean {
  return useSyncExternalStore(
    (listen) => paletteStore.subscribe(listen),
    () => paletteStore.getState().opened,
  );
}

let early = '';
let takeEarly: ((text: string) => void) | undefined;

/** What was typed after it was asked for, and before its field was there. */
export function typeEarly(text: string): void {
  if (takeEarly === undefined) early += text;
  else takeEarly(text);
}

export function useEarlyText(take: (text: string) => void): void {
  useEffect(() => {
    takeEarly = take;
    if (early !== '') take(early);
    early = '';
    return () => {
      takeEarly = undefined;
    };
  }, [take]);
}
