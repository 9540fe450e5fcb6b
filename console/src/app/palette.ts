import { createSpotlight } from '@mantine/spotlight';

/** Whether the command palette is open; it opens as soon as it is loaded. */
export const [paletteStore, palette] = createSpotlight();
