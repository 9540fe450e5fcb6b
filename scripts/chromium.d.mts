/** Rejects with one sentence when this machine has no Chromium and none can be had. */
export function findChromium(options?: {
  note?: (text: string) => void;
  signal?: AbortSignal;
}): Promise<{ program: string; origin: string }>;
