#pragma once
// The root of Objective-C's classes.

// Source: https://developer.apple.com/documentation/objectivec/nsobjectprotocol
__attribute__((availability(ios, introduced = 2.0)))
@protocol NSObject
@end

// Source: https://developer.apple.com/documentation/objectivec/nsobject
__attribute__((objc_root_class, availability(ios, introduced = 2.0)))
@interface NSObject <NSObject>
- (nonnull instancetype)init;
@end
