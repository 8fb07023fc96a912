/** A grey picture: one byte for each pixel, row by row. */
export interface GreyPicture {
  width: number;
  height: number;
  pixels: Uint8Array;
}
