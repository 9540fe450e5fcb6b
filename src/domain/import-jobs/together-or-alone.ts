/**
 * Many at a time, or one alone: who is to be alone waits until the others are through, and nobody else begins before
 * that one has ended.
 */
export class TogetherOrAlone {
  private inside = 0;
  private aloneInside = false;
  private readonly waiting: { readonly alone: boolean; readonly begin: () => void }[] = [];

  async run<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.waiting.push({ alone, begin });
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.inside -= 1;
      this.aloneInside = false;
      this.admit();
    }
  }

  private admit(): void {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      if (this.aloneInside || (next.alone && this.inside > 0)) return;
      this.waiting.shift();
      this.inside += 1;
      this.aloneInside = next.alone;
      next.begin();
    }
  }
}
