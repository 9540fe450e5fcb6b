import { useEffect, useRef } from 'react';
import { palette, paletteStore, typeEarly } from './palette.ts';
import type { Place } from './place.ts';

/** So long may pass between `g` and the key of a place. */
const CHORD_MS = 1500;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** `/`, or Ctrl or ⌘ and `K`, searches; `g` and the key of a place go there. Nothing of it while somebody types. */
export function useGoKeys(places: readonly Place[], go: (path: string) => void): void {
  const latest = useRef({ places, go });
  latest.current = { places, go };
  useEffect(() => {
    let since = 0;
    function pressed(event: KeyboardEvent): void {
      if (event.altKey || isTyping(event.target)) return;
      if (event.ctrlKey || event.metaKey) {
        if (event.key.toLowerCase() !== 'k' || event.shiftKey) return;
        event.preventDefault();
        palette.open();
        return;
      }
      // its field is on its way
      if (paletteStore.getState().opened) {
        if (event.key.length === 1) typeEarly(event.key);
        return;
      }
      if (event.key === '/') {
        event.preventDefault();
        palette.open();
        return;
      }
      const inChord = Date.now() - since < CHORD_MS;
      since = event.key === 'g' ? Date.now() : 0;
      if (!inChord) return;
      const place = latest.current.places.find(({ key }) => key === event.key);
      if (place !== undefined) latest.current.go(place.path);
    }
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
