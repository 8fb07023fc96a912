import { COUNTING_HEAD } from "./counted-copy.ts";

/** Annotations of one page that are read; an index of names has some hundred links on a page. */
const MAX_ANNOTATIONS = 2_000;
/** Steps that one annotation counts besides its loops and calls. */
const ANNOTATION = 2_000;
/** Levels of forms within forms that are read. Each takes a part of the stack, and in the end all of it. */
const MAX_FORM_LEVELS = 100;
/** A longer text that replaces what is shown, in bytes, is not used. */
const MAX_ACTUAL_TEXT = 1_000;
/**
 * Objects of a file that are kept from one page to the next. pdf.js would keep each that it has read, and the links of each page,
 * of which an index has hundreds; a page itself stays, since a field that does not name its page is looked for on all of them.
 */
const MAX_KEPT_OBJECTS = 8_000;
/** The operation paintImageXObject. */
const PAINT_IMAGE = 85;
/** Begins the counting copy of pdf.js: the functions that its changes call. */
export const PDFJS_HEAD = `${COUNTING_HEAD}async function*$pieces(stream){let length=0;for await(const piece of stream){const bytes=piece?.byteLength??0;
length+=bytes;$limits.takeBytes(bytes,length);yield piece}}
const $copied=(copy)=>{$steps+=copy.size;return copy};
const $nested=(forms)=>{if(forms?._set.size>${MAX_FORM_LEVELS}){$limits.leaveForm();throw new Error("Forms are nested too deeply")}};
const $annotations=(list)=>{if(!Array.isArray(list))return list;$steps+=${ANNOTATION}*Math.min(list.length,${MAX_ANNOTATIONS});
if(list.length<=${MAX_ANNOTATIONS})return list;$limits.leaveAnnotations();return list.slice(0,${MAX_ANNOTATIONS})};
const $placed=({image,operatorList})=>{const width=image.dict.get("W","Width"),height=image.dict.get("H","Height");
operatorList?.addOp(${PAINT_IMAGE},["",width,height])};
const $flat=(state)=>Object.assign(Object.create(Object.getPrototypeOf(state)),state);
const $actualText=(props)=>{const text=typeof props?.get==="function"?props.get("ActualText"):undefined;
return typeof text==="string"&&text.length<=${MAX_ACTUAL_TEXT}?stringToPDFString(text):undefined};
const $turned=(file,page)=>{const before=file.$page;file.$page=page;
if(before&&before!==page)delete before._parsedAnnotations;
if(file.xref._cacheMap.size>${MAX_KEPT_OBJECTS})file.xref._cacheMap.clear()};
const $handed=(message)=>{const chunk=message?.chunk;if(chunk?.items&&chunk.styles)return{...message,chunk:{...chunk}};
if($isNotes(message?.data))return{...message};
if(chunk?.fnArray)return{...message,chunk:{...chunk,fnArray:chunk.fnArray.slice(),argsArray:chunk.argsArray.slice()}}};
const $isNotes=(data)=>Array.isArray(data)&&data.length>0&&data[0]?.annotationType!==undefined;
const $grow=(length,wanted)=>{if(wanted>length)$limits.takeBytes(Math.max(wanted,length*2)-length,wanted)};
`;
